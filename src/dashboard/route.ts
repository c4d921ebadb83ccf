/** Where in the dashboard one is: the query of the address, so that every place can be linked to. */

export const TABS = ["overview", "recipients", "problems", "message", "history"] as const;
export type Tab = (typeof TABS)[number];

export type Place =
  | { readonly page: "campaigns" }
  | { readonly page: "create" }
  | { readonly page: "people" }
  | {
      readonly page: "campaign";
      readonly id: string;
      readonly tab: Tab;
      /** Whose story is open; null: nobody's. */
      readonly recipient: string | null;
      /** The status that recipients are filtered by. */
      readonly status: string | null;
    };

export const CAMPAIGNS: Place = { page: "campaigns" };
export const CREATE: Place = { page: "create" };
export const PEOPLE: Place = { page: "people" };

export function campaignPlace(
  id: string,
  tab: Tab = "overview",
  more: { readonly recipient?: string | null; readonly status?: string | null } = {},
): Place {
  const { recipient = null, status = null } = more;
  return { page: "campaign", id, tab, recipient, status };
}

/** Reads `?campaign=…&tab=…`; what is not understood leads to the list. */
export function readPlace(search: string): Place {
  const query = new URLSearchParams(search);
  const id = query.get("campaign");
  if (id === null || id === "") {
    return query.has("people") ? PEOPLE : query.has("new") ? CREATE : CAMPAIGNS;
  }
  const tab = TABS.find((each) => each === query.get("tab"));
  const recipient = query.get("recipient");
  return campaignPlace(id, tab, { recipient, status: query.get("status") });
}

export function hrefOf(place: Place): string {
  if (place.page === "campaigns") return "/";
  if (place.page === "create") return "/?new";
  if (place.page === "people") return "/?people";
  const query = new URLSearchParams({ campaign: place.id });
  if (place.tab !== "overview") query.set("tab", place.tab);
  if (place.status !== null) query.set("status", place.status);
  if (place.recipient !== null) query.set("recipient", place.recipient);
  return `/?${query}`;
}
