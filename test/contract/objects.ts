/** The two objects without the edges: what the contract suite needs of the platform. */
export { AccountObject } from "../../src/account/account-object.ts";
export { CampaignObject } from "../../src/campaign/campaign-object.ts";

export default {} satisfies ExportedHandler<Env>;
