/** A new campaign. It is a draft at first, and mails nobody before it is started. */
import { createCampaign } from "../api/calls.ts";
import { Link, useNavigation } from "../parts/navigation.tsx";
import { useTitle } from "../parts/hooks.ts";
import { Empty } from "../parts/basics.tsx";
import { useIsOperator } from "../parts/session.tsx";
import { campaignPlace, CAMPAIGNS } from "../route.ts";
import { filledWith, forgetForm, NEW_CAMPAIGN, openFormOf } from "../open-form.ts";
import { DraftForm } from "./draft-form.tsx";

export function CreatePage() {
  useTitle("New campaign");
  const { go } = useNavigation();
  const isOperator = useIsOperator();
  return (
    <>
      <p class="crumb">
        <Link to={CAMPAIGNS}>Campaigns</Link>
      </p>
      <header class="page-head">
        <h1>New campaign</h1>
      </header>
      {isOperator ? (
        <DraftForm
          id={NEW_CAMPAIGN}
          opened={openFormOf(NEW_CAMPAIGN) ?? filledWith(null)}
          submit="Create draft"
          onSubmit={async (draft) => {
            const { id } = await createCampaign(draft);
            forgetForm(NEW_CAMPAIGN);
            go(campaignPlace(id, "recipients"));
          }}
          onLeave={() => go(CAMPAIGNS)}
        />
      ) : (
        <Empty title="Viewers look">
          <p>Creating a campaign needs the operator's token.</p>
        </Empty>
      )}
    </>
  );
}
