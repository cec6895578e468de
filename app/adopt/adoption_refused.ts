/** Why nothing is taken over, and what to do about it. */
export class AdoptionRefused extends Error {
  static readonly code = 'E_ADOPTION_REFUSED'
  readonly code = AdoptionRefused.code
}
