import { DurableObject } from "cloudflare:workers";

export class AccountObject extends DurableObject<Env> {}
