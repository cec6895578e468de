/** As whom the platform calls its provider. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * The Authorization header of a client, written as OAuth 2.0 wants it: both parts encoded like a form first.
 */
export function basicAuthorization({ clientId, clientSecret }: Credentials): string {
  const pair = [clientId, clientSecret].map(formEncoded).join(':')
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}
