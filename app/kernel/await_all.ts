/** As `Promise.all`, only that nothing is under way any more where one of them fails. */
export async function awaitAll<Works extends readonly unknown[] | []>(
  works: Works
): Promise<{ -readonly [Work in keyof Works]: Awaited<Works[Work]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
