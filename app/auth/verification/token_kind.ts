const KINDS: readonly unknown[] = [undefined, null, 'access_token', 'user', 'client', 'robot']
const TYPE_CLAIMS = ['token_type', 'token_use', 'typ']
const NOT_FOR_ACCESS = /refresh|offline|logout|^id(_?token)?$/i

/**
 * Whether claims are those of an access token that its bearer may use. Refresh and id tokens carry the same signature,
 * and a token that is bound to a certificate is no good without it. Some providers use `kind` for the subject's kind.
 */
export function isAccessToken(claims: Readonly<Record<string, unknown>>): boolean {
  const isOther = TYPE_CLAIMS.some((name) => NOT_FOR_ACCESS.test(String(claims[name])))
  return !isOther && KINDS.includes(claims.kind) && (claims.cnf ?? null) === null
}
