import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

/** Collapsed content that is rarely needed. */
export const Disclosure = ({
  title,
  about,
  isOpen = false,
  children,
}: {
  title: ReactNode
  about?: ReactNode
  isOpen?: boolean
  children: ReactNode
}) => (
  <details className="disclosure" open={isOpen}>
    <summary className="disclosure__title">
      <ChevronRight size={14} aria-hidden className="disclosure__mark" />
      {title}
    </summary>
    <div className="disclosure__inside stack stack--fields">
      {about && <p className="text-soft text-small">{about}</p>}
      {children}
    </div>
  </details>
)
