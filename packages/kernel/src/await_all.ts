/** Like `Promise.all`, but rejects only after every promise has settled, so that nothing keeps running. */
export async function awaitAll<Works extends readonly unknown[] | []>(
  works: Works
): Promise<{ -readonly [Work in keyof Works]: Awaited<Works[Work]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
