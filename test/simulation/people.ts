/** The audience of a simulated campaign, with those whom the provider or the template refuses. */
import type { Enrolment } from "../../src/campaign/rpc.ts";
import type { Address, RecipientId } from "../../src/domain/ids.ts";
import type { CampaignPlan } from "./plan.ts";
import type { Random } from "./random.ts";

export type Person = {
  readonly id: string;
  readonly address: string;
  readonly email: string;
  /** The provider refuses the address. */
  readonly isBad: boolean;
  /** The template can't be filled in. */
  readonly isUnrenderable: boolean;
};

/** Campaigns share their people, so that a suppression concerns several of them. */
export function drawPeople(random: Random, plan: CampaignPlan, badShare: number): Person[] {
  return Array.from({ length: plan.recipients }, (_, index) => {
    const address = `r${index}@example.net`;
    return {
      id: `u${index}`,
      address,
      email: random.chance(0.2) ? `R${index}@Example.net` : address,
      isBad: random.chance(badShare),
      isUnrenderable: random.chance(plan.unrenderableShare),
    };
  });
}

export function enrolmentOf(person: Person, line: number): Enrolment {
  return {
    line,
    id: person.id as RecipientId,
    address: person.address as Address,
    email: person.email,
    data: { name: person.id, ...(person.isUnrenderable ? { broken: true } : {}) },
  };
}
