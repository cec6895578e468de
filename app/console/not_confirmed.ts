/** A form does not repeat the name of what its action is about. Nothing was changed. */
export class NotConfirmed extends Error {
  constructor(
    /** The page with the form. */
    readonly returnTo: string
  ) {
    super('The name did not match')
  }
}
