/** How many statements a call takes once everything is warm: sessions and tokens are remembered, plans are made. */
export const countStatements = async (
  { statements }: { statements: readonly string[] },
  call: () => Promise<{ status: number; text: string }>,
): Promise<number> => {
  await call()
  const before = statements.length
  const { status, text } = await call()
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return statements.length - before
}
