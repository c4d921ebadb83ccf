/** The checkers of a simulated world, each fresh. */
import { acknowledged } from "./acknowledged.ts";
import { alarm } from "./alarm.ts";
import { batches } from "./batches.ts";
import type { Checker } from "./checker.ts";
import { durable } from "./durable.ts";
import { exceptions } from "./exceptions.ts";
import { lease } from "./lease.ts";
import { nobodyLost } from "./nobody-lost.ts";
import { numbers } from "./numbers.ts";
import { once } from "./once.ts";
import { outbox } from "./outbox.ts";
import { pause } from "./pause.ts";
import { rate } from "./rate.ts";
import { sameBody } from "./same-body.ts";
import { staleToken } from "./stale-token.ts";
import { standing } from "./standing.ts";
import { suppressed } from "./suppressed.ts";
import { truth } from "./truth.ts";

export function checkers(): readonly Checker[] {
  return [
    exceptions(),
    once(),
    sameBody(),
    truth(),
    numbers(),
    batches(),
    standing(),
    pause(),
    staleToken(),
    suppressed(),
    lease(),
    alarm(),
    rate(),
    acknowledged(),
    outbox(),
    durable(),
    nobodyLost(),
  ];
}
