/** A wrong use of the context. It is reported with the place in the user's file, also if the program catches it. */
export class Mistake extends Error {
  override readonly name = 'Mistake';
}
