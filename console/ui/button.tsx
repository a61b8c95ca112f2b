import { Link, type LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'
import { Tooltip } from './tooltip.tsx'

type Look = {
  /** Use `primary` at most once per screen. */
  variant?: 'primary' | 'secondary' | 'ghost' | 'danger'
  size?: 'small' | 'medium' | 'large'
  icon?: LucideIcon
}

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  Look & {
    isBusy?: boolean
    isWide?: boolean
    ref?: Ref<HTMLButtonElement>
    children?: ReactNode
  }

const lookOf = ({ variant = 'secondary', size = 'medium' }: Look, isWide = false): string =>
  classNames('button', `button--${variant}`, size !== 'medium' && `button--${size}`, isWide && 'button--wide')

export const Button = ({
  variant,
  size,
  icon: Icon,
  isBusy = false,
  isWide,
  className,
  children,
  disabled,
  type = 'button',
  ...rest
}: ButtonProps) => (
  <button
    {...rest}
    type={type}
    className={classNames(lookOf({ variant, size }, isWide), className)}
    disabled={disabled || isBusy}
    aria-busy={isBusy || undefined}
  >
    {isBusy ? <Spinner /> : Icon && <Icon size={16} aria-hidden />}
    {children}
  </button>
)

/** A link that looks like a button, for navigation without side effects. */
export const ButtonLink = ({
  variant,
  size,
  icon: Icon,
  children,
  ...link
}: Look & LinkProps & { children?: ReactNode }) => (
  <Link {...link} className={lookOf({ variant, size })}>
    {Icon && <Icon size={16} aria-hidden />}
    {children}
  </Link>
)

/** A download link. */
export const DownloadLink = ({
  variant,
  size,
  icon: Icon,
  href,
  children,
}: Look & { href: string; children: ReactNode }) => (
  <a href={href} download className={lookOf({ variant, size })}>
    {Icon && <Icon size={16} aria-hidden />}
    {children}
  </a>
)

export type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & {
  icon: LucideIcon
  /** What it does, used as accessible name and tooltip. */
  label: string
  keys?: string
  isPressed?: boolean
  variant?: 'ghost' | 'primary'
  size?: 'small' | 'medium'
  hasTooltip?: boolean
  ref?: Ref<HTMLButtonElement>
}

export const IconButton = ({
  icon: Icon,
  label,
  keys,
  isPressed,
  variant = 'ghost',
  size = 'medium',
  hasTooltip = true,
  className,
  ...rest
}: IconButtonProps) => {
  const button = (
    <button
      type="button"
      {...rest}
      aria-label={label}
      aria-pressed={isPressed}
      className={classNames(
        'icon-button',
        `icon-button--${variant}`,
        size === 'small' && 'icon-button--small',
        className,
      )}
    >
      <Icon size={size === 'small' ? 14 : 18} aria-hidden />
    </button>
  )
  return hasTooltip ? (
    <Tooltip label={label} keys={keys}>
      {button}
    </Tooltip>
  ) : (
    button
  )
}
