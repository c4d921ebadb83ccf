/** All descriptions. One that is missing fails to compile here, by the name of its route. */
import type { Operations } from "../operation.ts";
import { CAMPAIGNS } from "./campaigns.ts";
import { CHECKS } from "./checks.ts";
import { LOOKING } from "./looking.ts";
import { OUTSIDE } from "./outside.ts";
import { PEOPLE } from "./people.ts";
import { RECIPIENTS } from "./recipients.ts";
import { RESERVATIONS } from "./reservations.ts";
import { RUN } from "./run.ts";
import { SERVICE } from "./service.ts";
import { SUPPRESSIONS } from "./suppressions.ts";

export const OPERATIONS: Operations = {
  ...CAMPAIGNS,
  ...RECIPIENTS,
  ...CHECKS,
  ...RUN,
  ...LOOKING,
  ...RESERVATIONS,
  ...SUPPRESSIONS,
  ...PEOPLE,
  ...OUTSIDE,
  ...SERVICE,
};
