import type { Page } from '#console/page'
import { escapeXml, shorten } from './escape.js'

export type StepState = 'waiting' | 'running' | 'done' | 'failed'

/** One step of a flow: its name, and its state in words. */
export interface FlowStep {
  readonly title: string
  readonly state: StepState
  readonly text: string
  /** Steps of this level branch off the one before. */
  readonly isBranch?: boolean
}

const WIDTH = 460
const STEP_HEIGHT = 46
const BRANCH_HEIGHT = 36
const MARGIN = 8
const TRUNK_X = 18
const BRANCH_X = 52
const RADIUS = 11
const MAX_TITLE = 42
const MAX_TEXT = 56

/** The symbol of each state, centered at the origin. The shapes differ, too. */
const SIGNS: Readonly<Record<StepState, string>> = {
  waiting: `<circle class="step waiting" r="${RADIUS}"/>`,
  running: `<circle class="step running" r="${RADIUS}"/><path class="sign" d="M-3 -5 L6 0 L-3 5 Z"/>`,
  done: `<circle class="step done" r="${RADIUS}"/><path class="sign stroke" d="M-5 0 L-1 4 L5 -4"/>`,
  failed: `<path class="step failed" d="M0 -13 L13 0 L0 13 L-13 0 Z"/><path class="sign stroke" d="M-4 -4 L4 4 M4 -4 L-4 4"/>`,
}

/**
 * Draws the steps of a flow from top to bottom, so that it fits a narrow page. Screen readers get a list of sentences.
 */
export function drawFlow(page: Page, title: string, steps: readonly FlowStep[]): string {
  const rows = placed(steps)
  const height = (rows.at(-1)?.bottom ?? 0) + MARGIN
  const sentences = steps.map((step) => `${step.title}: ${sentenceOf(page, step)}.`)
  return [
    `<svg class="flow" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="flow-title flow-desc">`,
    `<title id="flow-title">${escapeXml(title)}</title>`,
    `<desc id="flow-desc">${escapeXml(sentences.join(' '))}</desc>`,
    linesOf(rows),
    ...rows.map((row) => drawStep(page, row)),
    '</svg>',
  ].join('')
}

interface PlacedStep extends FlowStep {
  readonly x: number
  readonly y: number
  readonly bottom: number
}

function placed(steps: readonly FlowStep[]): PlacedStep[] {
  let bottom = MARGIN
  return steps.map((step) => {
    const height = step.isBranch ? BRANCH_HEIGHT : STEP_HEIGHT
    const y = bottom + height / 2
    bottom += height
    return { ...step, x: step.isBranch ? BRANCH_X : TRUNK_X, y, bottom }
  })
}

/** The line from the first step to the last, and a curve to each branch. */
function linesOf(rows: readonly PlacedStep[]): string {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) {
    return ''
  }
  const branches = rows
    .filter(({ isBranch }) => isBranch)
    .map(({ y, x }) => `M${TRUNK_X} ${y - 12} Q${TRUNK_X} ${y} ${x - RADIUS} ${y}`)
  const paths = [`M${TRUNK_X} ${first.y} V${last.y}`, ...branches]
  return `<path class="edge" d="${paths.join(' ')}"/>`
}

function drawStep(page: Page, step: PlacedStep): string {
  const { x, y, title, state } = step
  const textX = x + RADIUS + 10
  return [
    `<g transform="translate(${x} ${y})">${SIGNS[state]}</g>`,
    `<text class="step-title" x="${textX}" y="${y - 3}">${escapeXml(shorten(title, MAX_TITLE))}</text>`,
    `<text x="${textX}" y="${y + 11}">${escapeXml(shorten(sentenceOf(page, step), MAX_TEXT))}</text>`,
  ].join('')
}

/** The state in a word, then its details. */
function sentenceOf(page: Page, { state, text }: FlowStep): string {
  const word = page.t(`analyses.flow.states.${state}`)
  return text === '' ? word : `${word}, ${text}`
}
