/** What is held about one person, and its erasure. */
import { json, optionalJsonBody, type SomeOperations } from "../operation.ts";

export const PEOPLE = {
  "GET /api/people/:address": {
    id: "getPerson",
    area: "people",
    summary: "Everything that is held about one address",
    text: "Its suppression, and its story in each campaign; 200 with nothing in it where nothing is held.",
    query: {},
    answers: { 200: json("Person", "All of it.") },
    refuses: {
      invalidFields: "It is no address.",
      campaignsSilent: "Some campaigns have not answered; `unanswered` names them.",
    },
    examples: {
      one: {
        summary: "Somebody who is being mailed",
        status: 200,
        params: { address: "h_1@mail.example" },
      },
    },
  },
  "DELETE /api/people/:address": {
    id: "erasePerson",
    area: "people",
    summary: "Erase one person everywhere",
    text:
      "Suppresses the address and takes what is held about it out of every campaign. The numbers " +
      "stay, and the fact that it must not be mailed. Safe to repeat.",
    query: {},
    body: optionalJsonBody("Nothing"),
    answers: { 200: json("Erasure", "Where it is gone, and where it will be by when.") },
    refuses: {
      campaignsSilent: "Some campaigns have not answered; `unanswered` names them.",
    },
    examples: {
      erase: {
        summary: "Somebody in a request that may be repeated",
        status: 200,
        params: { address: "h_1@mail.example" },
      },
    },
  },
} as const satisfies SomeOperations;
