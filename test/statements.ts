/**
 * Checks of open transactions and of what is due: one serves all callers for a while, so it may or may not occur in a
 * call.
 */
const isShared = (text: string): boolean =>
  /from pg_(locks|stat_activity)|with recursive (account|host) as|"conversationId" from automation_inputs|"dueAt" from ai_turns|"dueAt"\s+from held_messages|update ai_turns set state = .waiting., claimed_by = null|d\.claimed_at <= /.test(
    text,
  )

/** How many of the statements are the call's own. */
export const countOwn = (statements: readonly string[]): number =>
  statements.filter((text) => !isShared(text)).length

/** How many statements a call takes once warm: sessions and tokens are cached, plans are made. */
export const countStatements = async (
  { statements }: { statements: readonly string[] },
  call: () => Promise<{ status: number; text: string }>,
): Promise<number> => {
  await call()
  const before = statements.length
  const { status, text } = await call()
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return countOwn(statements.slice(before))
}
