const KINDS: readonly unknown[] = [undefined, null, 'access_token', 'user', 'client', 'robot']
const TYPE_CLAIMS = ['token_type', 'token_use', 'typ']
const NOT_FOR_ACCESS = /refresh|offline|logout|^id(_?token)?$/i

/**
 * Whether the claims are those of a bearer access token. Refresh and id tokens have the same signature, and
 * certificate-bound tokens are unusable without the certificate. Some providers use `kind` for the kind of the subject.
 */
export function isAccessToken(claims: Readonly<Record<string, unknown>>): boolean {
  const isOther = TYPE_CLAIMS.some((name) => NOT_FOR_ACCESS.test(String(claims[name])))
  return !isOther && KINDS.includes(claims.kind) && (claims.cnf ?? null) === null
}
