const STEP = /^(?:\[(\d+)\/(\d+)\] )?STEP (\d+)\/(\d+):/

/** How far a build is, by the lines that buildah writes before each step. Stages count alike, however many steps they have. */
export function parseStep(line: string): { readonly share: number } | undefined {
  const match = STEP.exec(line)
  if (!match) {
    return undefined
  }
  const [stage, stages, step, steps] = match.slice(1).map((digits) => Number(digits ?? 1))
  return { share: Math.min(1, (stage! - 1 + (step! - 1) / steps!) / stages!) }
}
