/** Every kind of fault the simulated world knows. A seed first draws which of them exist at all. */

export const FAULT_KINDS = {
  // The queue.
  queueDuplicates: "a message is delivered twice",
  queueDelays: "a message comes minutes late, out of order",
  queueLoses: "a message is gone",
  queueThrows: "sendBatch throws and has taken nothing",
  queueHangs: "sendBatch never answers, whatever it has taken",
  queueTakesPart: "sendBatch throws and has taken some",
  queueDeadLetters: "a message is dead-lettered before its last attempt",
  // The consumer.
  consumerDies: "the process ends at an await",
  consumerLosesAcks: "the process ends after its acks, before they are recorded",
  consumerStalls: "the process stands still for seconds",
  // The way between processes and objects.
  requestLost: "a request never reaches the object",
  answerLost: "an answer never comes back",
  networkSlow: "a request or an answer takes seconds",
  overloaded: "the object refuses a request as overloaded",
  // The provider.
  providerLosesAnswer: "accepted, and the answer is lost",
  providerAcceptsLate: "the request arrives after the client has given up",
  providerLimitsRate: "429, with or without retry-after",
  providerFails: "5xx before anything is accepted",
  providerFailsAfter: "5xx after all is accepted",
  providerHalfAnswers: "accepted, and the answer breaks off",
  providerSlow: "the same request finds itself in progress: 409",
  providerSaysDrifted: "409, this key was used with another body",
  providerQuota: "429 for the day",
  providerRefusesKey: "401",
  providerRefusesSender: "403",
  providerBadAddress: "some addresses are refused",
  providerDown: "nothing answers for a long while",
  // Webhooks. Without a fault each event comes once, soon.
  webhookNever: "an event never comes",
  webhookLate: "an event comes minutes late, out of order",
  webhookEarly: "an event comes before the answer of the request",
  webhookTwice: "an event comes twice",
  webhookBounces: "a mail bounces",
  // The objects.
  crashBeforeCommit: "the object ends and nothing of the event remains",
  crashAfterCommit: "the object ends, what it wrote remains, nobody hears of it",
  eviction: "the object starts anew with empty memory",
  clockSkew: "campaign, account and consumer differ by up to five seconds",
  clockJump: "an object starts anew under another clock",
  // The alarm.
  alarmLate: "it fires late",
  alarmTwice: "it fires twice",
  alarmThrows: "its storage fails under it",
  // The operator.
  pauses: "pause and resume",
  cancels: "cancel",
  suppresses: "an address is suppressed",
  replaysFailed: "failures are sent again",
  replaysDeadLetters: "dead letters are sent again",
  replaysDoubts: "doubts are sent again, the risk accepted",
  resolves: "doubts are settled by hand",
  startsTwice: "start is asked for again",
  schedules: "the campaign starts later",
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

export const FAULTS = Object.keys(FAULT_KINDS) as readonly FaultKind[];
