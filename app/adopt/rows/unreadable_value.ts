/** The text is not valid for its column. */
export class UnreadableValue {
  constructor(readonly reason: string) {}
}
