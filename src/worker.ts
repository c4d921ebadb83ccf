export { AccountObject } from "./account/account-object.ts";
export { CampaignObject } from "./campaign/campaign-object.ts";

export default {
  fetch(): Response {
    return new Response("sendonce");
  },
} satisfies ExportedHandler<Env>;
