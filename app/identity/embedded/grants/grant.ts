import vine from '@vinejs/vine'

import { body } from '#kernel/body'
import type { ClientCredentials } from '#identity/embedded/oauth/request'
import type { RequestSource } from '#kernel/origin'

const parameter = () => vine.string().optional()

/** The required parameters of each grant type. Empty parameters count as missing. */
const REQUIRED_PARAMETERS: Record<string, readonly string[]> = {
  authorization_code: ['code', 'redirect_uri', 'code_verifier'],
  client_credentials: [],
  password: ['username', 'password'],
  refresh_token: ['refresh_token'],
}

const oneOf = Object.entries(REQUIRED_PARAMETERS).map(([grant, required]) => ({
  properties: {
    grant_type: { const: grant },
    ...Object.fromEntries(required.map((name) => [name, { type: 'string', minLength: 1 }])),
  },
  required: ['grant_type', ...required],
}))

const attributes = {
  grant_type: vine.string(),
  username: parameter(),
  password: parameter(),
  realm_id: parameter(),
  realm_name: parameter(),
  client_id: parameter(),
  client_secret: parameter(),
  refresh_token: parameter(),
  code: parameter(),
  redirect_uri: parameter(),
  code_verifier: parameter(),
  scope: parameter(),
}

export const tokenBody = body(attributes, { oneOf })

type TokenParameters = Awaited<ReturnType<typeof tokenBody.validate>>

/** A request for tokens. */
interface TokenRequest {
  readonly parameters: TokenParameters
  readonly credentials: ClientCredentials | undefined
  /** The id or name of the requested realm. */
  readonly realm: string | undefined
  readonly source: RequestSource
}

export interface TokenAnswer {
  readonly access_token: string
  readonly expires_in: number
  readonly token_type: 'Bearer'
  readonly scope: string
  readonly refresh_token?: string
  readonly refresh_token_expires_in?: number
  readonly id_token?: string
}

/** The handler of a grant type. */
export type Grant = (request: TokenRequest) => Promise<TokenAnswer>
