/** The migration cannot run; the message says what to do. */
export class AdoptionRefused extends Error {
  static readonly code = 'E_ADOPTION_REFUSED'
  readonly code = AdoptionRefused.code
}
