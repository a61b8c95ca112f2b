/** Looking for what is due: one look at a time, and another after it for whoever asked meanwhile. */
export const makeLook = ({
  look,
  isStopping,
  onError,
}: {
  look: () => Promise<void>
  isStopping: () => boolean
  onError: (error: unknown) => void
}) => {
  let isWanted = false
  let looking: Promise<void> | undefined
  return {
    /** Looks soon. */
    wake: (): void => {
      isWanted = true
      looking ??= (async () => {
        while (isWanted && !isStopping()) {
          isWanted = false
          await look()
        }
      })()
        .catch(onError)
        .finally(() => {
          looking = undefined
        })
    },
    /** The look that goes on, if any. */
    current: (): Promise<void> | undefined => looking,
  }
}
