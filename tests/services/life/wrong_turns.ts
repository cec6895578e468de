import { deepEqual } from 'node:assert/strict'

import type { Answer } from './caller.js'

interface Issue {
  readonly code: string
  readonly path: readonly string[]
}

/** Counts what was tried on the way and must not be had: each has to be refused with its own code. */
export class WrongTurns {
  #taken = 0

  get taken(): number {
    return this.#taken
  }

  /** Issues are written as their code, and where they are about an attribute, its name. */
  async refused(
    attempt: Promise<Answer>,
    status: number,
    code: string,
    ...issues: string[]
  ): Promise<void> {
    const { request, body, ...answer } = await attempt
    const message = (body?.issues ?? []).map((issue: Issue) =>
      [issue.code, ...issue.path].join(' ')
    )
    const answered = { request, status: answer.status, code: body?.code, issues: message }
    deepEqual(answered, { request, status, code, issues })
    this.#taken += 1
  }

  /** Of somebody who may do so in another realm only. */
  foreign = (attempt: Promise<Answer>) => this.refused(attempt, 403, 'permission_denied')

  /** Of somebody who may not do so anywhere, for want of these permissions. */
  lacking = (attempt: Promise<Answer>, ...permissions: string[]) =>
    this.refused(
      attempt,
      403,
      'permission_denied',
      ...permissions.map((name) => `permission_not_found ${name}`)
    )
}
