/**
 * The watch page: asks for the token once, then for the delivery status every second, and draws it
 * as one bar whose parts add up to the total (SPEC G5). It shows what the API says and computes
 * nothing of its own except the widths.
 *
 * The token stays in this tab (sessionStorage). Everything is written as text, never as HTML.
 */
const PERIOD_MILLISECONDS = 1000;
const LONGEST_PERIOD_MILLISECONDS = 30_000;
const TOKEN = "sendonce.token";
/** In the order of the bar: what is settled first, what remains last. */
const PARTS = [
  ["sent", "Sent"],
  ["reserved", "In flight"],
  ["failed", "Failed"],
  ["suppressed", "Suppressed"],
  ["inDoubt", "In doubt"],
  ["cancelled", "Cancelled"],
  ["remaining", "Remaining"],
];
const OVER = ["finished", "cancelled"];

const element = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");
/** Counts the watches; an answer that belongs to an earlier one is dropped. */
let watching = 0;

function show(status) {
  const { stats } = status;
  element("campaign").textContent = status.campaignId;
  element("state").textContent = status.state;
  document.title = `${status.campaignId}: ${status.state}`;
  element("pause").hidden = status.pause === null;
  element("pause").textContent =
    status.pause === null ? "" : `${status.pause.reason}: ${status.pause.detail}`;
  const settled = stats.total - stats.remaining - stats.reserved;
  element("bar").setAttribute("aria-valuemax", String(stats.total));
  element("bar").setAttribute("aria-valuenow", String(settled));
  for (const [name] of PARTS) {
    element("bar").querySelector(`.${name}`).style.flexGrow = String(stats[name]);
    element("stats").querySelector(`[data-part=${name}]`).textContent = count(stats[name]);
  }
  element("sum").textContent = `${PARTS.map(([name]) => count(stats[name])).join(" + ")} = ${count(
    PARTS.reduce((sum, [name]) => sum + stats[name], 0),
  )} of ${count(stats.total)}`;
  showFacts(status);
}

function showFacts(status) {
  const rows = [
    ["Mails a second", count(status.ratePerSecond)],
    ["Duplicates prevented", count(status.duplicatesPrevented)],
    ["Dead letters", count(status.deadLetters)],
    ["Started", clock(status.startedAt)],
    status.finishedAt === null
      ? ["Expected to finish", clock(status.expectedFinishAt)]
      : ["Finished", clock(status.finishedAt)],
  ];
  element("facts").replaceChildren(...rows.flatMap(([name, value]) => pair(name, value)));
}

function clock(time) {
  return time === null ? "–" : new Date(time).toLocaleTimeString();
}

function pair(name, value) {
  const term = document.createElement("dt");
  const text = document.createElement("dd");
  term.textContent = name;
  text.textContent = value;
  return [term, text];
}

function drawParts() {
  for (const [name, label] of PARTS) {
    const segment = document.createElement("span");
    segment.className = name;
    segment.title = label;
    element("bar").append(segment);
    const [term, value] = pair(label, "0");
    const swatch = document.createElement("i");
    swatch.className = name;
    term.prepend(swatch);
    value.dataset.part = name;
    element("stats").append(term, value);
  }
}

function complain(text) {
  element("trouble").hidden = text === null;
  element("trouble").textContent = text ?? "";
}

function ask(text) {
  watching += 1;
  element("ask").hidden = false;
  element("watched").hidden = true;
  complain(text);
}

/** What to say for an answer that is no status, and whether asking again makes sense. */
function troubleOf(response, campaign) {
  if (response.status === 401) return { text: "This token is not known here.", again: false };
  if (response.status === 404) return { text: `There is no campaign ${campaign}.`, again: false };
  return { text: `The server answered ${response.status}; asking again.`, again: true };
}

async function watch(campaign) {
  watching += 1;
  const mine = watching;
  let period = PERIOD_MILLISECONDS;
  element("ask").hidden = true;
  while (mine === watching) {
    let state = null;
    try {
      const response = await fetch(
        `/api/campaigns/${encodeURIComponent(campaign)}/delivery-status`,
        { headers: { authorization: `Bearer ${sessionStorage.getItem(TOKEN)}` } },
      );
      const status = response.ok ? await response.json() : null;
      if (mine !== watching) return;
      if (status === null) {
        const trouble = troubleOf(response, campaign);
        if (response.status === 401) sessionStorage.removeItem(TOKEN);
        if (!trouble.again) return ask(trouble.text);
        complain(trouble.text);
      } else {
        complain(null);
        show(status);
        element("watched").hidden = false;
        state = status.state;
      }
      period = status === null ? period * 2 : PERIOD_MILLISECONDS;
    } catch {
      if (mine !== watching) return;
      complain("The server does not answer; asking again.");
      period *= 2;
    }
    // A finished campaign may be replayed, so that it is asked for rarely rather than never.
    const wait = OVER.includes(state) ? LONGEST_PERIOD_MILLISECONDS : period;
    period = Math.min(period, LONGEST_PERIOD_MILLISECONDS);
    await new Promise((resolve) =>
      setTimeout(resolve, Math.min(wait, LONGEST_PERIOD_MILLISECONDS)),
    );
  }
}

function begin() {
  drawParts();
  const asked = new URL(location.href).searchParams.get("campaign") ?? "";
  const form = element("ask");
  form.elements.campaign.value = asked;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(TOKEN, form.elements.token.value);
    form.elements.token.value = "";
    const campaign = form.elements.campaign.value.trim();
    history.replaceState(null, "", `?campaign=${encodeURIComponent(campaign)}`);
    void watch(campaign);
  });
  element("leave").addEventListener("click", () => ask(null));
  if (asked !== "" && sessionStorage.getItem(TOKEN) !== null) void watch(asked);
}

begin();
