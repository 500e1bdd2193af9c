/** Carries what a body of the user has thrown through the call around it: whatever it looks like, it is no stop of the run (C4). */
export class OwnProblem extends Error {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super('thrown by a body');
    this.thrown = thrown;
  }
}
