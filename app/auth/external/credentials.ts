/** The client as which the platform calls its provider. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** The Authorization header of a client. OAuth 2.0 requires both parts to be form-encoded first. */
export function basicAuthorization({ clientId, clientSecret }: Credentials): string {
  const pair = [clientId, clientSecret].map(formEncoded).join(':')
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}
