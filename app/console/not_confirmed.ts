/** A form does not repeat the name of the record to confirm its action. Nothing was changed. */
export class NotConfirmed extends Error {
  constructor(
    /** The page with the form. */
    readonly returnTo: string
  ) {
    super('The name did not match')
  }
}
