import type { Page } from '#console/page'

/** A message that could not be processed, without its content. */
export interface DeadLetter {
  readonly id: string
  readonly queue: string
  readonly type: string | null
  readonly reason: string
  readonly attempts: number
  readonly diedAt: string
}

/** The oldest dead letters of each queue. */
export async function deadLetters(page: Page): Promise<DeadLetter[]> {
  const { data } = await page.hub.read<{ data: DeadLetter[] }>('core', '/admin/bus/dead')
  return data
}
