import type { ReactNode } from 'react'

/** What to do, one after the other; each in an `li`. */
export const Steps = ({ children }: { children: ReactNode }) => <ol className="steps">{children}</ol>
