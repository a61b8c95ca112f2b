import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** Items with a name, a line or two of details, and actions. For numbers, use DataTable. */
export const ItemList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className="items" aria-label={label}>
    {children}
  </ul>
)

export const Item = ({
  lead,
  title,
  about,
  meta,
  actions,
  link,
  isQuiet = false,
}: {
  /** An avatar or icon. */
  lead?: ReactNode
  title: ReactNode
  about?: ReactNode
  /** Short states; below the text when narrow. */
  meta?: ReactNode
  actions?: ReactNode
  /** Makes the whole row a link; then it has no actions. */
  link?: LinkProps
  /** Kept for the record but no longer in use. */
  isQuiet?: boolean
}) => (
  <li className={classNames('item', isQuiet && 'item--quiet', link && 'item--opens')}>
    {lead && <span className="item__lead">{lead}</span>}
    <div className="item__words">
      <div className="item__title">{link ? <Link {...link}>{title}</Link> : title}</div>
      {about && <div className="item__about">{about}</div>}
    </div>
    {meta && <div className="item__meta">{meta}</div>}
    {link && <ChevronRight size={16} aria-hidden className="item__chevron" />}
    {actions && <div className="item__actions">{actions}</div>}
  </li>
)
