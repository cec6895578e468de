import { OAuthFailure } from '#identity/embedded/oauth/oauth_failure'

/** The rate limit of failed logins of an account. */
export class TooManyFailures extends OAuthFailure {
  constructor(remainingMs: number) {
    const seconds = Math.max(1, Math.ceil(remainingMs / 1000))
    super(
      429,
      'rate_limited',
      'temporarily_unavailable',
      `Too many wrong secrets were tried on this account; try again in ${seconds} seconds.`,
      { headers: { 'retry-after': String(seconds) } }
    )
  }
}
