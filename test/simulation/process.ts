/**
 * The life of a process that is no object: a consumer, or whoever calls the API for the operator.
 *
 * A process that has ended never goes on: every promise it waits for stays open for ever. It may end
 * at each await, before what it asked for leaves it and after the answer has come.
 */
import type { FaultKind } from "./faults.ts";
import type { Network } from "./network.ts";
import type { Answer, SimulatedObject } from "./object.ts";

export type ProcessWorld = {
  readonly scheduler: { readonly now: number; after(milliseconds: number, run: () => void): void };
  fault(kind: FaultKind): boolean;
  skewed(least: number, most: number): number;
  note(text: string): void;
};

export class Process {
  readonly name: string;
  isAlive = true;
  readonly #world: ProcessWorld;
  readonly #isMortal: boolean;
  #onEnd: () => void = () => {};

  constructor(name: string, world: ProcessWorld, isMortal: boolean) {
    this.name = name;
    this.#world = world;
    this.#isMortal = isMortal;
  }

  /** What is done when the process ends before its time. */
  onEnd(hook: () => void): void {
    this.#onEnd = hook;
  }

  end(how: string): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#world.note(`${this.name} ends ${how}`);
    this.#onEnd();
  }

  #dies(when: string): boolean {
    if (this.#isMortal && this.#world.fault("consumerDies")) this.end(when);
    return !this.isAlive;
  }

  /** One await: `start` asks for something, and what it settles comes back if the process lives. */
  wait<T>(what: string, start: (settle: (answer: Answer) => void) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#dies(`before ${what}`)) return;
      const goOn = (answer: Answer): void => {
        if (!this.isAlive) return;
        if (answer.ok) resolve(answer.value as T);
        else reject(answer.error);
      };
      start((answer) => {
        if (!this.isAlive || this.#dies(`after ${what}`)) return;
        if (!this.#isMortal || !this.#world.fault("consumerStalls")) return goOn(answer);
        this.#world.scheduler.after(this.#world.skewed(5_000, 120_000), () => goOn(answer));
      });
    });
  }

  sleep(milliseconds: number): Promise<void> {
    return this.wait("sleeping", (settle) => {
      this.#world.scheduler.after(milliseconds, () => settle({ ok: true, value: undefined }));
    });
  }

  /** An RPC stub: each method is a message over the network. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a stub is what it is asked for
  stub<Rpc extends object>(network: Network, target: SimulatedObject<object>): Rpc {
    const { name } = this;
    return new Proxy({} as Rpc, {
      get:
        (_, method: string) =>
        (...args: readonly unknown[]) =>
          this.wait(`${target.name}.${method}`, (settle) =>
            network.sendFrom(
              { caller: name, target, method, args, hears: () => this.isAlive },
              settle,
            ),
          ),
    });
  }
}
