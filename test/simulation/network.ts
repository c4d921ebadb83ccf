/** The way between processes and objects: it takes time, and it loses requests and answers. */
import type { FaultKind } from "./faults.ts";
import type { Answer, Life, SimulatedObject } from "./object.ts";
import type { Call } from "./occurrence.ts";
import { InjectedError } from "./storage.ts";

export type NetworkWorld = {
  readonly scheduler: { after(milliseconds: number, run: () => void): void };
  fault(kind: FaultKind): boolean;
  whole(least: number, most: number): number;
  skewed(least: number, most: number): number;
  calls(caller: string, method: string): void;
  asked(call: Call): void;
  heard(call: Call, answer: unknown): void;
};

export type Sending = {
  readonly caller: string;
  readonly target: SimulatedObject<object>;
  readonly method: string;
  readonly args: readonly unknown[];
  /** Whether whoever asked is still there when the answer comes. */
  hears(): boolean;
};

export class Network {
  readonly #world: NetworkWorld;
  #calls = 0;

  constructor(world: NetworkWorld) {
    this.#world = world;
  }

  #latency(): number {
    return this.#world.fault("networkSlow")
      ? this.#world.skewed(500, 20_000)
      : this.#world.whole(1, 5);
  }

  /** The same, of a process: the checkers see that it has called. */
  sendFrom(sending: Sending, settle: (answer: Answer) => void): void {
    this.#world.calls(sending.caller, sending.method);
    this.send(sending, settle);
  }

  /** `settle` is called once: with the answer, or with the error of a way that broke. */
  send(sending: Sending, settle: (answer: Answer) => void): void {
    const { scheduler } = this.#world;
    const broken = (text: string, flags: { retryable?: boolean; overloaded?: boolean }): void => {
      const error = new InjectedError(text, flags);
      scheduler.after(this.#latency(), () => settle({ ok: false, error }));
    };
    if (this.#world.fault("overloaded")) return broken("overloaded", { overloaded: true });
    if (this.#world.fault("requestLost")) return broken("the network is gone", { retryable: true });
    scheduler.after(this.#latency(), () => {
      this.#calls += 1;
      const { caller, target, method, args } = sending;
      const call: Call = { object: target.name, method, args, caller, number: this.#calls };
      this.#world.asked(call);
      target.enter(call, (answer) => {
        if (this.#world.fault("answerLost"))
          return broken("the network is gone", { retryable: true });
        scheduler.after(this.#latency(), () => {
          if (answer.ok && sending.hears()) this.#world.heard(call, answer.value);
          settle(answer);
        });
      });
    });
  }

  /** A stub for an object that calls another one; it holds back what it sends until it is written. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a stub is what it is asked for
  stubFor<Rpc extends object>(caller: string, life: Life, target: SimulatedObject<object>): Rpc {
    return new Proxy({} as Rpc, {
      get:
        (_, method: string) =>
        (...args: readonly unknown[]) =>
          new Promise((resolve, reject) => {
            const settle = (answer: Answer): void =>
              life.resume(() => {
                if (answer.ok) resolve(answer.value);
                else reject(answer.error);
              });
            life.leave(() =>
              this.send({ caller, target, method, args, hears: () => true }, settle),
            );
          }),
    });
  }
}
