import { tryParseJson } from '#kernel/try_parse_json'
import type { AssignedAnalysis, Participant } from '#node/analyses/assigned_analysis'
import { RecipientUnknown } from '#node/errors'
import type { SealedMessages } from '#node/messages/sealed_messages'
import { answerEmpty, answerJson, answerText } from './answer.js'
import { GatewayError } from './errors.js'
import type { JsonBodies } from './json_bodies.js'
import type { Router } from './router.js'

const PREFIX = '/message-broker/analyses/:id'
const BODY = { maxBytes: 8 * 1024 ** 2, names: ['recipients', 'message'] }
/** Analyses have tens of nodes, and ids 36 letters. */
const MAX_RECIPIENTS_LENGTH = 64 * 1024

/** Routes for the participants, and for messages to them. */
export function addMessageRoutes(
  router: Router,
  analysis: () => AssignedAnalysis,
  messages: SealedMessages,
  bodies: JsonBodies
): void {
  const analysisAt = (id: string | undefined) => {
    if (id !== analysis().id) {
      throw new GatewayError(404, 'This is the gateway of another analysis')
    }
    return analysis()
  }

  router
    .add('node', 'GET', '/message-broker/healthz', ({ response }) =>
      answerText(response, 200, 'ok')
    )
    .add('node', 'GET', `${PREFIX}/participants/self`, ({ params, response }) =>
      answerJson(response, 200, shown(analysisAt(params.id).self))
    )
    .add('node', 'GET', `${PREFIX}/participants`, ({ params, response }) =>
      answerJson(response, 200, analysisAt(params.id).participants.map(shown))
    )
    .add('node', 'POST', `${PREFIX}/messages/subscriptions`, ({ params, request, response }) => {
      analysisAt(params.id)
      request.resume()
      // Messages are always delivered to the webhook of the container.
      answerEmpty(response, 201)
    })
    .add('node', 'POST', `${PREFIX}/messages`, async ({ params, request, response }) => {
      await bodies.withFields(request, BODY, async ({ recipients = '', message = '' }) => {
        const nodeIds = textsIn(recipients)
        if (!nodeIds || !/^[[{]/.test(message)) {
          throw new GatewayError(
            400,
            'Send "recipients", a list of node ids, and "message", an object'
          )
        }
        await send(messages, analysisAt(params.id), nodeIds, message)
      })
      answerEmpty(response, 202)
    })
}

async function send(
  messages: SealedMessages,
  analysis: AssignedAnalysis,
  recipients: readonly string[],
  message: string
): Promise<void> {
  try {
    await messages.send(analysis, recipients, message)
  } catch (error) {
    throw error instanceof RecipientUnknown ? new GatewayError(400, error.message) : error
  }
}

const shown = ({ nodeId, nodeType }: Participant) => ({ nodeId, nodeType })

/** Parses a list of texts; undefined for any other JSON. */
function textsIn(json: string): readonly string[] | undefined {
  const value: unknown = json.length > MAX_RECIPIENTS_LENGTH ? undefined : tryParseJson(json)
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
}
