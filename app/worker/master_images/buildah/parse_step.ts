const STEP = /^(?:\[(\d+)\/(\d+)\] )?STEP (\d+)\/(\d+):/

/** Progress from the step lines of buildah. Stages count equally, whatever their number of steps. */
export function parseStep(line: string): { readonly share: number } | undefined {
  const match = STEP.exec(line)
  if (!match) {
    return undefined
  }
  const [stage, stages, step, steps] = match.slice(1).map((digits) => Number(digits ?? 1))
  return { share: Math.min(1, (stage! - 1 + (step! - 1) / steps!) / stages!) }
}
