package picture

import (
	"bytes"
	"encoding/binary"
)

// Of all that EXIF holds, only the orientation belongs to the image: without it, photographs lie on their side.
const tagOrientation = 0x0112

// orientation reads the orientation from a TIFF structure, as EXIF is one; 0 when there is none or it makes no sense.
// Only the first directory is looked at, and no pointer is followed but the one to it.
func orientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(tiff, []byte("II*\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	default:
		return 0
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 0
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 0
		}
		if order.Uint16(entries) == tagOrientation {
			if v := int(order.Uint16(entries[8:])); v >= 1 && v <= 8 {
				return v
			}
			return 0
		}
		entries = entries[12:]
	}
	return 0
}

// orientationOnly is a TIFF structure that holds the orientation and nothing else.
func orientationOnly(orientation int) []byte {
	b := []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")
	b[19] = byte(orientation)
	return b
}

// turns reports whether an orientation must be kept: 1 is what readers assume anyway.
func turns(orientation int) bool { return orientation > 1 }
