import type { AssignedAnalysis, Participant } from '#node/analyses/assigned_analysis'
import { RecipientUnknown } from '#node/errors'
import type { SealedMessages } from '#node/messages/sealed_messages'
import { answerEmpty, answerJson } from './answer.js'
import { GatewayError } from './errors.js'
import { readJson } from './json_body.js'
import type { Router } from './router.js'

const PREFIX = '/message-broker/analyses/:id'
const MAX_BYTES = 8 * 1024 ** 2

/** Who takes part, and messages to them. */
export function addMessageRoutes(
  router: Router,
  analysis: () => AssignedAnalysis,
  messages: SealedMessages
): void {
  const analysisAt = (id: string | undefined) => {
    if (id !== analysis().id) {
      throw new GatewayError(404, 'This is the gateway of another analysis')
    }
    return analysis()
  }

  router
    .add('node', 'GET', `${PREFIX}/participants/self`, ({ params, response }) =>
      answerJson(response, 200, shown(analysisAt(params.id).self))
    )
    .add('node', 'GET', `${PREFIX}/participants`, ({ params, response }) =>
      answerJson(response, 200, analysisAt(params.id).participants.map(shown))
    )
    .add('node', 'POST', `${PREFIX}/messages/subscriptions`, ({ params, request, response }) => {
      analysisAt(params.id)
      request.resume()
      // Messages are delivered to the webhook of the container in any case.
      answerEmpty(response, 201)
    })
    .add('node', 'POST', `${PREFIX}/messages`, async ({ params, request, response }) => {
      const { recipients, message } = await readJson(request, MAX_BYTES)
      if (!isTextList(recipients) || typeof message !== 'object' || message === null) {
        throw new GatewayError(
          400,
          'Send "recipients", a list of node ids, and "message", an object'
        )
      }
      await send(messages, analysisAt(params.id), recipients, message)
      answerEmpty(response, 202)
    })
}

async function send(
  messages: SealedMessages,
  analysis: AssignedAnalysis,
  recipients: readonly string[],
  message: object
): Promise<void> {
  try {
    await messages.send(analysis, recipients, message)
  } catch (error) {
    throw error instanceof RecipientUnknown ? new GatewayError(400, error.message) : error
  }
}

const shown = ({ nodeId, nodeType }: Participant) => ({ nodeId, nodeType })

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
