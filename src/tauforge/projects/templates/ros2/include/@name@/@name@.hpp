// @title@: the library's functions for C++.
#ifndef @NAME@_LIBRARY_HPP
#define @NAME@_LIBRARY_HPP

#include <array>
#include <cstddef>

#include "@name@/@name@.h"
#include "@name@/@name@_gravity.h"

namespace @name@_dynamics {

inline constexpr std::size_t dof = @dof@;
inline constexpr std::size_t positions = @positions@;
using Positions = std::array<double, positions>;
using Joints = std::array<double, dof>;

// The torques of a motion.
inline Joints inverse_dynamics(const Positions& q, const Joints& qd, const Joints& qdd) noexcept
{
    Joints tau{};
    ::@name@(q.data(), qd.data(), qdd.data(), tau.data());
    return tau;
}

// The torques that hold the robot still.
inline Joints gravity_compensation(const Positions& q) noexcept
{
    Joints tau{};
    ::@name@_gravity(q.data(), tau.data());
    return tau;
}

}

#endif
