/** Carries an exception from the user's code through the call around it, so that it is never mistaken for a stop of the run (C4). */
export class OwnProblem extends Error {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super('thrown by a body');
    this.thrown = thrown;
  }
}
