/** Reserve and report for consumers of any queue (DESIGN §6). */
import { MAX_RESERVATION_ID_CHARACTERS } from "../../domain/limits.ts";
import { readJson } from "../body.ts";
import { Refused } from "../problem.ts";
import { granted } from "../refusal.ts";
import type { Call } from "../route.ts";
import { parseClaim, parseReport, parseReservation } from "../schemas/reservation.ts";
import * as wire from "../wire.ts";
import { campaignOf } from "./named.ts";

/**
 * With an `Idempotency-Key` the ask may be made again and gets the grant that it was given, so
 * that a lost answer costs nothing. Without one the lease has to run out first (SPEC G1).
 */
export async function reserveRecipients(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const claim = parseClaim(call.request);
  const request = parseReservation(await readJson(call.request), claim);
  const answer = await campaign[claim === null ? "once" : "again"]((object) =>
    object.reserve(request),
  );
  return wire.json(wire.reservation(granted(answer)));
}

export async function reportReservation(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const reservationId = call.params.reservationId ?? "";
  if (reservationId.length > MAX_RESERVATION_ID_CHARACTERS) {
    throw new Refused("reservationNotFound", "No reservation has an id as long as this.");
  }
  const request = parseReport(await readJson(call.request), reservationId);
  const status = granted(await campaign.again((object) => object.report(request)));
  return wire.json(wire.deliveryStatus(status));
}
