/** As `Promise.all`, but a failure is told only when nothing of it is under way any more. */
export async function allDone<Answers extends readonly unknown[]>(works: {
  readonly [Index in keyof Answers]: Promise<Answers[Index]>
}): Promise<Answers> {
  await Promise.allSettled(works)
  return (await Promise.all(works)) as unknown as Answers
}
