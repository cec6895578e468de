import { sendRequest, jsonOf } from '#doctor/send_request'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { ownToken } from '#doctor/own_token'
import { reasonOf } from '#doctor/reason'
import type { CheckContext } from '#doctor/check_context'
import type { Env } from '#configuration/variables'
import { unseal } from '#records/sealing'

const DISCOVERY = '/.well-known/openid-configuration'

/** Checks that tokens can be issued and verified. */
export const providerCheck: Check = {
  name: 'identity provider',
  run(context) {
    const { IDENTITY_URL } = context.env
    return IDENTITY_URL
      ? checkExternalProvider(IDENTITY_URL, context.env)
      : checkEmbeddedProvider(context)
  },
}

async function checkExternalProvider(url: string, env: Env): Promise<Finding[]> {
  let described: { jwks_uri?: string; token_endpoint?: string } | undefined
  try {
    const response = await sendRequest(url + DISCOVERY, { redirect: 'follow' })
    described = response.ok ? await jsonOf(response) : undefined
    if (!described) {
      return [
        finding('PROVIDER_UNREACHABLE', `${url + DISCOVERY} responds with ${response.status}`),
      ]
    }
  } catch (error) {
    return [finding('PROVIDER_UNREACHABLE', `${url}, ${reasonOf(error)}`)]
  }
  const { jwks_uri: keys, token_endpoint: endpoint } = described
  return [...(await checkKeys(keys)), ...(await checkOwnLogin(env, endpoint))]
}

async function checkKeys(address: string | undefined): Promise<Finding[]> {
  if (address === undefined) {
    return [finding('PROVIDER_WITHOUT_KEYS', 'its discovery document has no jwks_uri')]
  }
  try {
    const keySet = await jsonOf(await sendRequest(address))
    const count = Array.isArray(keySet?.keys) ? keySet.keys.length : 0
    return count > 0 ? [] : [finding('PROVIDER_WITHOUT_KEYS', address)]
  } catch (error) {
    return [finding('PROVIDER_WITHOUT_KEYS', `${address}, ${reasonOf(error)}`)]
  }
}

async function checkOwnLogin(env: Env, endpoint: string | undefined): Promise<Finding[]> {
  try {
    const answer = await ownToken(env, endpoint)
    return 'token' in answer
      ? []
      : [finding('PROVIDER_REFUSES_US', `${env.CLIENT_ID}, ${answer.refusal}`)]
  } catch (error) {
    return [finding('PROVIDER_UNREACHABLE', `${endpoint}, ${reasonOf(error)}`)]
  }
}

async function checkEmbeddedProvider(context: CheckContext) {
  const { pool } = context.databaseOf('identity') ?? {}
  if (!pool) {
    return NOT_USED
  }
  const { rows } = await pool.query<{ kid: string; sealed: string }>(
    'select kid, private_key as sealed from identity_signing_keys order by created_at desc'
  )
  const isReadable = rows.some(({ sealed }) => unseal('signing key', sealed) !== null)
  return rows.length === 0 || isReadable
    ? []
    : [finding('PROVIDER_KEYS_UNREADABLE', `${rows.length} keys`)]
}
