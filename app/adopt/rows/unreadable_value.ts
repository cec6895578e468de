/** What a text says cannot be a value of its column. */
export class UnreadableValue {
  constructor(readonly reason: string) {}
}
