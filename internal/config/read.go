package config

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bor/internal/forge"
	"bor/internal/source"
	"bor/internal/source/git"
)

var defaultExtensions = source.DefaultExtensions

// maxIdentity is the longest identity string, in characters.
const maxIdentity = 300

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		*field(c) = v
		return nil
	}
}

func identity(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if err := checkIdentity(v); err != nil {
			return err
		}
		*field(c) = v
		return nil
	}
}

func checkIdentity(v string) error {
	if !utf8.ValidString(v) {
		return errors.New("it is not UTF-8 text")
	}
	if n := utf8.RuneCountInString(v); n > maxIdentity {
		return fmt.Errorf("it has %d characters, more than %d", n, maxIdentity)
	}
	return nil
}

// commas reads values without white space or commas of their own.
func commas(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, v string) error {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*field(c) = append(*field(c), part)
			}
		}
		return nil
	}
}

func list(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, v string) error {
		for part := range strings.SplitSeq(v, "|") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			if err := checkIdentity(part); err != nil {
				return fmt.Errorf("in one of them, %w", err)
			}
			*field(c) = append(*field(c), part)
		}
		return nil
	}
}

func oneOf(field func(*Config) *string, values ...string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if !slices.Contains(values, v) {
			return errors.New("there is no such choice")
		}
		*field(c) = v
		return nil
	}
}

func boolean(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, v string) error {
		b, err := strconv.ParseBool(strings.ToLower(v))
		if err != nil {
			return errors.New("it is neither true nor false")
		}
		*field(c) = b
		return nil
	}
}

func number(field func(*Config) *int, low, high int) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil {
			return errors.New("it is not a whole number")
		}
		if n < low || n > high {
			return fmt.Errorf("it must be from %d to %d", low, high)
		}
		*field(c) = n
		return nil
	}
}

// count reads a limit: zero has the meaning that the help gives, and a negative
// one is refused (D9).
func count(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil {
			return errors.New("it is not a whole number")
		}
		if n < 0 {
			return errors.New("it must not be negative")
		}
		*field(c) = n
		return nil
	}
}

func megabytes(field func(*Config) *int64) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || n != n || n > 1e6 {
			return errors.New("it is not a number of megabytes")
		}
		if n < 0 {
			return errors.New("it must not be negative")
		}
		*field(c) = int64(n * (1 << 20))
		return nil
	}
}

func fraction(field func(*Config) *float64) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n >= 0 && n <= 1) {
			return errors.New("it must be a number from 0 to 1")
		}
		*field(c) = n
		return nil
	}
}

// span reads a time of hours or days. A plain number is refused: who writes 90 for
// days would lose what is older than 90 seconds.
func span(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, v string) error {
		if n, err := strconv.Atoi(v); err == nil && n > 0 {
			return fmt.Errorf("it has no unit: write %dh for hours, %dm for minutes or %ds for seconds", n, n, n)
		}
		return duration(field)(c, v)
	}
}

// duration reads a time of seconds or minutes; a plain number is seconds.
func duration(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, v string) error {
		d, err := time.ParseDuration(v)
		if n, e := strconv.Atoi(v); e == nil && n <= int(math.MaxInt64/time.Second) {
			d, err = time.Duration(n)*time.Second, nil
		}
		if err != nil {
			return errors.New("it is not a span of time such as 5s, 2m or 24h")
		}
		if d < 0 {
			return errors.New("it must not be negative")
		}
		*field(c) = d
		return nil
	}
}

func hostPort(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		_, port, err := net.SplitHostPort(v)
		if err != nil {
			return errors.New("it is not host:port")
		}
		if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
			return errors.New("its port is not a number from 0 to 65535")
		}
		*field(c) = v
		return nil
	}
}

// loopback reads an address that only this machine can reach.
func loopback(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if v == "" {
			return nil
		}
		if err := hostPort(field)(c, v); err != nil {
			return err
		}
		host, _, _ := net.SplitHostPort(v) // it was split before
		if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
			return errors.New("it is not a loopback address")
		}
		return nil
	}
}

func httpURL(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if v == "" {
			return nil
		}
		u, err := url.Parse(v)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return errors.New("it is not an http:// or https:// address")
		}
		if u.User != nil {
			return errors.New("it must hold no user or password; the key is a setting of its own")
		}
		*field(c) = strings.TrimRight(v, "/")
		return nil
	}
}

func prefixes(c *Config, v string) error {
	for part := range strings.SplitSeq(v, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		p, err := netip.ParsePrefix(part)
		if a, e := netip.ParseAddr(part); e == nil {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return fmt.Errorf("%q is neither an address nor a CIDR range", part)
		}
		c.TrustedProxies = append(c.TrustedProxies, p)
	}
	return nil
}

func logLevel(c *Config, v string) error {
	if err := c.LogLevel.UnmarshalText([]byte(v)); err != nil {
		return errors.New("there is no such level")
	}
	return nil
}

func extensions(c *Config, v string) error {
	if _, _, err := source.ParseExtensions(v); err != nil {
		return err
	}
	c.ImportExtensions = v
	return nil
}

// file reads the name of a file that another program will open, from a folder of
// its own.
func file(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if v != "" && !filepath.IsAbs(v) {
			return errors.New("it is not an absolute path")
		}
		*field(c) = v
		return nil
	}
}

func gitTokens(c *Config, v string) (err error) {
	c.Git.Tokens, err = git.ParseTokens(v)
	return err
}

func forges(c *Config, v string) (err error) {
	c.Forges, err = forge.ParseHosts(v)
	return err
}
