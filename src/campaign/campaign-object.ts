import { DurableObject } from "cloudflare:workers";

export class CampaignObject extends DurableObject<Env> {}
