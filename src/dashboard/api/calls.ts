/** The calls of the contract that the dashboard makes, each by its name. */
import type {
  Campaign,
  Erasure,
  Person,
  Suppression,
  SuppressionImportReport,
  SuppressReport,
  CampaignEntry,
  DeadLetter,
  CampaignDraft,
  Identity,
  MailPreview,
  Page,
  PreflightReport,
  Recipient,
  RecipientStory,
  ReplayReport,
  ReplayRequest,
  Tagged,
  UploadReport,
  CampaignEvent,
  DeliveryStatus,
  TestReport,
} from "../../client/types.ts";
import { ask, askTagged } from "./ask.ts";
import { sendFile } from "./upload.ts";

const PAGE = 50;

const campaignPath = (id: string): string => `/api/campaigns/${encodeURIComponent(id)}`;

function query(parameters: Readonly<Record<string, string | number | null>>): string {
  const set = Object.entries(parameters).filter(([, value]) => value !== null && value !== "");
  return `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`;
}

export const signIn = (token: string): Promise<Identity> => ask("POST", "/session", { token });
export const whoAmI = (): Promise<Identity> => ask("GET", "/session");
export const signOut = (): Promise<null> => ask("DELETE", "/session");

export const listCampaigns = (cursor: string | null): Promise<Page<CampaignEntry>> =>
  ask("GET", `/api/campaigns${query({ include: "status", limit: 25, cursor })}`);
export const createCampaign = (draft: CampaignDraft): Promise<Campaign> =>
  ask("POST", "/api/campaigns", draft);
export const getCampaign = (id: string): Promise<Campaign> => ask("GET", campaignPath(id));
/** With the tag that a change of it has to name. */
export const readCampaign = (id: string): Promise<Tagged<Campaign>> =>
  askTagged("GET", campaignPath(id));
export const changeCampaign = (
  id: string,
  draft: CampaignDraft,
  ifMatch: string,
): Promise<Tagged<Campaign>> => askTagged("PATCH", campaignPath(id), draft, ifMatch);
export const eraseCampaign = (id: string): Promise<null> => ask("DELETE", campaignPath(id));

export const preflight = (id: string): Promise<PreflightReport> =>
  ask("POST", `${campaignPath(id)}/preflight`);
export const sendTest = (id: string, to: readonly string[]): Promise<TestReport> =>
  ask("POST", `${campaignPath(id)}/test`, { to });
/** A time on the clocks of a place: an hour that they skip or have twice is refused. */
export type LocalTime = { readonly local: string; readonly zone: string };
export const startCampaign = (id: string, at: LocalTime | null): Promise<DeliveryStatus> =>
  ask("POST", `${campaignPath(id)}/start`, at ?? {});
export type Move = "pause" | "resume" | "cancel" | "finish" | "reconcile";
export const moveCampaign = (id: string, move: Move): Promise<DeliveryStatus> =>
  ask("POST", `${campaignPath(id)}/${move}`);
export const deliveryStatus = (id: string): Promise<DeliveryStatus> =>
  ask("GET", `${campaignPath(id)}/delivery-status`);

export const replay = (id: string, request: ReplayRequest): Promise<ReplayReport> =>
  ask("POST", `${campaignPath(id)}/replay`, request);
export const resolve = (
  id: string,
  ids: readonly string[],
  as: "sent" | "failed",
): Promise<DeliveryStatus> => ask("POST", `${campaignPath(id)}/resolve`, { ids, as });

export type RecipientFilter = { readonly status: string | null; readonly email?: string };
export const listRecipients = (
  id: string,
  { status, email }: RecipientFilter,
  cursor: string | null,
): Promise<Page<Recipient>> => {
  const parameters = query({ status, email: email ?? null, cursor, limit: PAGE });
  return ask("GET", `${campaignPath(id)}/recipients${parameters}`);
};
export const getRecipient = (id: string, recipient: string): Promise<RecipientStory> =>
  ask("GET", `${campaignPath(id)}/recipients/${encodeURIComponent(recipient)}`);
export const listDeadLetters = (id: string, cursor: string | null): Promise<Page<DeadLetter>> =>
  ask("GET", `${campaignPath(id)}/dead-letters${query({ cursor, limit: PAGE })}`);
export const listEvents = (id: string, cursor: string | null): Promise<Page<CampaignEvent>> =>
  ask("GET", `${campaignPath(id)}/events${query({ cursor, limit: PAGE })}`);
export const previewFor = (id: string, recipientId: string | null): Promise<MailPreview> =>
  ask("POST", `${campaignPath(id)}/preview`, recipientId === null ? {} : { recipientId });

export const addSegment = (id: string, segment: string): Promise<UploadReport> =>
  ask("POST", `${campaignPath(id)}/recipients/segment`, { segment });
export const personPath = (address: string): string => `/api/people/${encodeURIComponent(address)}`;
export const getPerson = (address: string): Promise<Person> => ask("GET", personPath(address));
export const erasePerson = (address: string): Promise<Erasure> =>
  ask("DELETE", personPath(address));
export const listSuppressions = (cursor: string | null): Promise<Page<Suppression>> =>
  ask("GET", `/api/suppressions${query({ cursor, limit: PAGE })}`);
export const suppress = (addresses: readonly string[]): Promise<SuppressReport> =>
  ask("PUT", "/api/suppressions", { addresses });
export const liftSuppression = (address: string): Promise<null> =>
  ask("DELETE", `/api/suppressions/${encodeURIComponent(address)}`);
const SUPPRESSIONS_IMPORT = "/api/suppressions/import";
export const importSuppressions = (file: Blob): Promise<SuppressionImportReport> =>
  sendFile<SuppressionImportReport>(SUPPRESSIONS_IMPORT, file, "text/csv", () => undefined).done;
export const SUPPRESSIONS_FILE = "/api/suppressions.csv";

export const uploadPath = (
  id: string,
  columns: { readonly email: string | null; readonly id: string | null },
): string => `${campaignPath(id)}/recipients${query(columns)}`;
export const exportPath = (id: string, status: string | null): string =>
  `${campaignPath(id)}/recipients.csv${query({ status })}`;
export const livePath = (id: string): string => `${campaignPath(id)}/live`;
